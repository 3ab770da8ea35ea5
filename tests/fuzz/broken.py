"""A target whose inputs are right or wrong in all ways that the supervisor must see."""

import ctypes
import os
import subprocess
import sys
import threading
import time

WRONG = {3: "crash", 5: "exception", 7: "hang", 9: "memory", 11: "exit", 13: "child", 15: "unseen", 17: "thread"}


def prepare(folder):
    assert not list(folder.iterdir())
    return folder


def make(seed, context):
    return WRONG.get(seed, "right")


def check(given, context):
    (context / "file").write_text(given)
    if given == "crash":
        ctypes.string_at(0)
    if given == "exception":
        raise ValueError("two\nlines")
    if given == "hang":
        while True:
            pass
    if given == "memory":
        held = b"\1" * 300_000_000
        time.sleep(0.2)
        del held
    if given == "exit":
        os._exit(0)
    if given == "child":
        subprocess.run([sys.executable, "-c", "while True: pass"], check=True)
    if given == "unseen":
        Unseen()
    if given == "thread":
        thread = threading.Thread(target=int, args=("x",))
        thread.start()
        thread.join()
    return given


class Unseen:
    def __del__(self):
        raise ValueError("of native code that cannot raise")
