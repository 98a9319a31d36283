// Colyseus: node colyseus.js PORT [schema]. With `schema` the others' standings go out as patches every 50 ms, as its
// documentation has it; without, each slide is broadcast.
import { Room, Server } from "@colyseus/core";
import { defineTypes, MapSchema, Schema } from "@colyseus/schema";
import { WebSocketTransport } from "@colyseus/ws-transport";
import { newRacer, play } from "./game.js";

const isPatched = process.argv[3] === "schema";

class Standing extends Schema {}
defineTypes(Standing, { score: "uint32", biggest: "uint8", slides: "uint32" });

class Standings extends Schema {
  constructor() {
    super();
    this.racers = new MapSchema();
  }
}
defineTypes(Standings, { racers: { map: Standing } });

class Race extends Room {
  onCreate() {
    this.maxClients = 4;
    this.seatReservationTimeout = 300;
    this.racers = new Map();
    if (isPatched) this.state = new Standings();
    else this.patchRate = null;
    this.onMessage("move", (client, { n, d }) => {
      const { racer, seat, standing } = this.racers.get(client.sessionId);
      const changed = play(racer, d & 3);
      const { board, score, biggest, slides } = racer;
      client.send("you", { n, board, score, biggest, slides });
      if (!changed) return;
      if (standing) Object.assign(standing, { score, biggest, slides });
      else this.broadcast("race", { seat, score, biggest, slides }, { except: client });
    });
  }

  onJoin(client) {
    const seat = this.racers.size;
    const standing = isPatched ? Object.assign(new Standing(), { score: 0, biggest: 1, slides: 0 }) : null;
    if (standing) this.state.racers.set(String(seat), standing);
    this.racers.set(client.sessionId, { racer: newRacer(), seat, standing });
  }

  onLeave(client) {
    this.racers.delete(client.sessionId);
  }
}

const server = new Server({ greet: false, transport: new WebSocketTransport({ pingInterval: 10_000 }) });
server.define("race", Race);
server.listen(Number(process.argv[2]), "127.0.0.1");
