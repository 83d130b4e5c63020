import { expect, it } from "vitest";
import { syncBySpeed } from "./sync-by-speed.ts";

/** A disk whose syncs take these times, one after the other; tells how each of them was asked for. */
async function ask(times: readonly number[]): Promise<string> {
  let time = 0;
  let asked = "";
  let took = 0;
  const sync = syncBySpeed({
    direct: () => {
      asked += "d";
      time += took;
    },
    inBackground: () => {
      asked += "b";
      time += took;
      return Promise.resolve();
    },
    now: () => time,
  });
  for (took of times) await sync(1);
  return asked;
}

it.each([
  { name: "a fast disk is asked directly", times: [0.2, 0.3, 2, 2, 2, 2, 2], asked: "ddddddd" },
  {
    name: "three slow answers in a row, and it is asked in the background",
    times: [5, 5, 5, 5, 5, 5],
    asked: "dddbbb",
  },
  { name: "slow answers among fast ones change nothing", times: [5, 5, 1, 5, 5, 1, 5, 5], asked: "dddddddd" },
  { name: "one fast answer brings it back", times: [5, 5, 5, 5, 1, 1, 5], asked: "dddbbdd" },
])("$name", async ({ times, asked }) => {
  expect(await ask(times)).toBe(asked);
});

it("passes on what fails, either way", async () => {
  let time = 0;
  const fail = (): never => {
    time += 10;
    throw new Error("EIO");
  };
  const sync = syncBySpeed({
    direct: fail,
    inBackground: () => Promise.reject(new Error("EIO in the background")),
    now: () => time,
  });
  for (let n = 0; n < 3; n += 1) await expect(sync(1)).rejects.toThrow("EIO");
  await expect(sync(1)).rejects.toThrow("EIO in the background");
});
