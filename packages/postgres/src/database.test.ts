import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { Pool } from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { guardPool } from "./database.ts";

const uncaught: unknown[] = [];
const note = (error: unknown): void => void uncaught.push(error);
let others: NodeJS.UncaughtExceptionListener[] = [];

// The test runner would end the run.
beforeEach(() => {
  others = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException").on("uncaughtException", note);
});
afterEach(() => {
  process.off("uncaughtException", note);
  for (const listener of others) process.on("uncaughtException", listener);
});

/** A message of the protocol: its letter, its length, its content. */
function message(letter: string, content: string): Buffer {
  const body = Buffer.from(content, "latin1");
  const head = Buffer.alloc(5);
  head.write(letter);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

describe("guardPool", () => {
  it("a server that takes a connection and ends it in the same moment does not end the process", async () => {
    const fatal = "SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0";
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () =>
        socket.end(Buffer.concat([message("R", "\0\0\0\0"), message("Z", "I"), message("E", fatal)])),
      );
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const pool = new Pool({ host: "127.0.0.1", port: (server.address() as AddressInfo).port, user: "x", max: 1 });
    guardPool(pool);
    const client = await pool.connect();
    await expect(client.query("select 1")).rejects.toThrow();
    client.release(true);
    await pool.end();
    server.close();
    await once(server, "close");
    expect(uncaught).toEqual([]);
  });
});
