# ruff: noqa: INP001 - run as a module of the folder
"""What a message between two processes takes of each one's processor: on a stream of gRPC's, and behind its length.

    .venv/bin/python -m bench.messages [SECONDS]

One end sends at a pace, the other sends each back; both are processes of their own, on uvloop, as services are.
"""

import asyncio
import multiprocessing
import sys
import time
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection

import grpc
import uvloop

from wire import front
from wire.framed import Framed, connect
from wire.limits import CHANNEL, SERVER
from wire.settings import Address

MESSAGE = bytes(100)
PACES = (500, 2_000)
"""Messages a second."""
ROUNDS = 3
ANYWHERE = Address("127.0.0.1", 0)
METHOD = "/Bench/Echo"

Send = Callable[[], Awaitable[None]]
Call = grpc.aio.StreamStreamCall[bytes, bytes]


class _Echo(grpc.GenericRpcHandler):
    """Sends back what comes on a stream of gRPC's."""

    def service(self, _details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[bytes, bytes]":
        return grpc.stream_stream_rpc_method_handler(self._echo)

    async def _echo(self, _requests: object, context: "grpc.aio.ServicerContext[bytes, bytes]") -> None:
        while isinstance(message := await context.read(), bytes):
            await context.write(message)


async def _serve(told: Connection) -> None:
    """Serve both until told to stop; tell the ports, and at each word the processor time used so far."""
    server = grpc.aio.server(options=SERVER)
    server.add_generic_rpc_handlers((_Echo(),))
    behind = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with front.listening(ANYWHERE, _echo, grpc_port=behind, flush_s=0) as port:
        told.send((behind, port))
        while await asyncio.to_thread(told.recv):
            told.send(time.process_time())
        await server.stop(None)


async def _echo(stream: Framed) -> None:
    waiting: asyncio.Queue[bytes | None] = asyncio.Queue()
    stream.ended.add_done_callback(lambda _: waiting.put_nowait(None))
    stream.start(waiting.put_nowait)
    while (message := await waiting.get()) is not None:
        await stream.write(message)


async def _cost_us(send: Send, told: Connection, *, pace: int, seconds: float) -> tuple[float, float]:
    """Give microseconds a message, there and back, of the processor of this end and of the other."""
    loop = asyncio.get_running_loop()
    told.send(True)
    theirs, ours, due = told.recv(), time.process_time(), loop.time()
    count = round(pace * seconds)
    for _ in range(count):
        due += 1 / pace
        await asyncio.sleep(max(0.0, due - loop.time()))
        await send()
    used = time.process_time() - ours
    told.send(True)
    return 1e6 * used / count, 1e6 * (told.recv() - theirs) / count


async def _measure(told: Connection, seconds: float) -> None:
    behind, port = told.recv()
    framed = await connect(f"127.0.0.1:{port}")
    framed.start(lambda _: None)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{behind}", options=CHANNEL) as channel:
        call: Call = channel.stream_stream(METHOD)()
        reading = asyncio.create_task(_read(call))
        ways: dict[str, Send] = {
            "gRPC": lambda: call.write(MESSAGE),
            "behind its length": lambda: framed.write(MESSAGE),
        }
        for pace in PACES:
            for number in range(ROUNDS):
                for name, send in ways.items():
                    here, there = await _cost_us(send, told, pace=pace, seconds=seconds)
                    sys.stdout.write(
                        f"{pace:,} a second, {number + 1}, {name}: {here:.0f} µs here, {there:.0f} µs there\n"
                    )
        call.cancel()
        await asyncio.gather(reading, return_exceptions=True)
    framed.close()
    told.send(False)


async def _read(call: Call) -> None:
    while await call.read() is not grpc.aio.EOF:
        pass


def _other_end(told: Connection) -> None:
    uvloop.run(_serve(told))


def main(seconds: float) -> None:
    """Have the other end for as long as it is measured."""
    here, there = multiprocessing.get_context("spawn").Pipe()
    other = multiprocessing.get_context("spawn").Process(target=_other_end, args=(there,))
    other.start()
    try:
        uvloop.run(_measure(here, seconds))
    finally:
        other.join(10)
        other.kill()


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 3.0)
