"""Listening at an address, whether one can, and the words where one cannot."""

import contextlib
import errno
import socket

from wire.settings import Address, SettingsError

_REASONS = {
    errno.EADDRINUSE: "another program listens there; stop it, or choose another port",
    errno.EADDRNOTAVAIL: "this machine has no such address",
    errno.EACCES: "this user may not listen there; choose a port from 1024 up",
}
_ALL = ("0.0.0.0", "::")
_NOT_HERE = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


def sockets_at(listen: Address) -> list[socket.socket]:
    """Listen as gRPC does: all addresses are those of IPv4 and of IPv6, and a name is all it stands for here.

    Port 0 is the same free one for all. A name may stand for more than a machine has: `localhost` for ::1, where there
    is no IPv6.

    Raises:
        OSError: nothing can listen there.
    """
    if listen.host in _ALL and socket.has_dualstack_ipv6():
        return [socket.create_server(("::", listen.port), family=socket.AF_INET6, dualstack_ipv6=True)]
    found = socket.getaddrinfo(listen.host, listen.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    port, opened, missing = listen.port, list[socket.socket](), None
    with contextlib.ExitStack() as on_error:
        for family, where in dict.fromkeys((family, where) for family, _, _, _, where in found):
            try:
                each = socket.create_server((where[0], port, *where[2:]), family=family)
            except OSError as error:
                if error.errno not in _NOT_HERE:
                    raise
                missing = error
            else:
                opened.append(on_error.enter_context(each))
                port = each.getsockname()[1]
        if missing is not None and not opened:
            raise missing
        on_error.pop_all()
    return opened


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
