from typing import Any

from numpy.typing import NDArray
from typing_extensions import Buffer

def checksum(data: Buffer | NDArray[Any]) -> int: ...

class Checksum:
    def update(self, data: Buffer | NDArray[Any]) -> None: ...
    def value(self) -> int: ...
