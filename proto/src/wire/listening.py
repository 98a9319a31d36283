"""Whether one can listen at an address, and the words where one cannot."""

import errno
import socket

from wire.settings import Address, SettingsError

_REASONS = {
    errno.EADDRINUSE: "another program listens there; stop it, or choose another port",
    errno.EADDRNOTAVAIL: "this machine has no such address",
    errno.EACCES: "this user may not listen there; choose a port from 1024 up",
}


def check_listen(listen: Address, setting: str) -> None:
    """See that one can listen at an address now, for servers that do not tell well why not.

    Raises:
        SettingsError: nothing can listen there; the words say why.
    """
    try:
        found = socket.getaddrinfo(listen.host, listen.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, where = found[0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(where)
            probe.listen()
    except socket.gaierror as error:
        raise SettingsError(f"{setting} is {str(listen)!r}, but no such host is known.") from error
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, error.strerror)
        raise SettingsError(f"{setting} is {str(listen)!r}, but {reason}.") from error
