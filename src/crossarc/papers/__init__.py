"""The papers, each in a room of its own: what no general parser needs, and where its parts are."""
