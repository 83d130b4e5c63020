import { setImmediate as immediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { sendTogether } from "./send-together.ts";

interface Journey {
  readonly passengers: readonly string[];
  readonly arrive: (answers?: readonly (string | null)[]) => void;
  readonly fail: () => void;
}

/** Journeys end when the test says so. A passenger is named after what it is about: "a1" is about "a". */
function station() {
  const journeys: Journey[] = [];
  const travel = <T>(passengers: readonly string[], toAnswer: (answers: readonly (string | null)[]) => T): Promise<T> =>
    new Promise((resolve, reject) => {
      journeys.push({
        passengers,
        arrive: (answers = passengers.map((name) => `${name}!`)) => resolve(toAnswer(answers)),
        fail: () => reject(new Error("lost")),
      });
    });
  const send = sendTogether<string, string>({
    about: (name) => name.slice(0, 1),
    alone: (name, isUncertain) => travel([`${name}${isUncertain ? "?" : ""}`], ([answer]) => String(answer)),
    together: (names) => travel(names, (answers) => answers),
  });
  return { send, journeys, trips: () => journeys.map(({ passengers }) => passengers.join(" ")) };
}

describe("sendTogether", () => {
  it("sends one alone and immediately", async () => {
    const { send, journeys, trips } = station();
    const answer = send("a1");
    await immediate();
    expect(trips()).toEqual(["a1"]);
    journeys[0]?.arrive();
    expect(await answer).toBe("a1!");
  });

  it("shares those of one moment between the ways there are, rivals on the same", async () => {
    const { send, trips } = station();
    for (const name of ["a1", "b1", "c1", "a2", "b2", "a3"]) void send(name);
    await immediate();
    expect(trips()).toEqual(["a1 a2 a3", "b1 b2 c1"]);
  });

  it("gathers what comes while all ways are taken", async () => {
    const { send, journeys, trips } = station();
    void send("a1");
    void send("b1");
    await immediate();
    const answers = ["c1", "d1", "c2"].map(send);
    await immediate();
    expect(trips()).toEqual(["a1", "b1"]);
    journeys[0]?.arrive();
    await immediate();
    await immediate();
    expect(trips()).toEqual(["a1", "b1", "c1 c2 d1"]);
    journeys[2]?.arrive();
    expect(await Promise.all(answers)).toEqual(["c1!", "d1!", "c2!"]);
  });

  it("sends again alone what got no answer, and in doubt everything of a journey that failed", async () => {
    const { send, journeys, trips } = station();
    const answers = ["a1", "a2", "b1", "b2"].map(send);
    await immediate();
    journeys[0]?.arrive(["a1!", null]);
    journeys[1]?.fail();
    await immediate();
    expect(trips()).toEqual(["a1 a2", "b1 b2", "a2", "b1?", "b2?"]);
    for (const { arrive } of journeys.slice(2)) arrive();
    expect(await Promise.all(answers)).toEqual(["a1!", "a2!", "b1?!", "b2?!"]);
  });

  it("a problem is that of its passenger alone", async () => {
    const { send, journeys } = station();
    const [first, second] = ["a1", "b1"].map(send);
    await immediate();
    journeys[0]?.fail();
    journeys[1]?.arrive();
    await expect(first).rejects.toThrow("lost");
    expect(await second).toBe("b1!");
  });

  it("no change waits for one that does not come back", async () => {
    const { send, journeys, trips } = station();
    void send("a1");
    void send("b1");
    await immediate();
    const answer = send("c1");
    // Nothing arrives, and yet it leaves.
    while (trips().length < 3) await immediate();
    journeys[2]?.arrive();
    expect(await answer).toBe("c1!");
  });
});
