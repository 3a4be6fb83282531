from typing import Any

VERSION: str

# The functions of the compiled module have no types here. Only the modules beside it call them, and give types to what
# they return; the compiled module checks the types of its arguments when it is called.
def __getattr__(name: str) -> Any: ...
