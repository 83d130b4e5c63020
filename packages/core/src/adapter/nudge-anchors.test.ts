import { describe, expect, it } from "vitest";
import { nudge } from "../policies/decision.ts";
import type { RunEvent } from "../events/run-event.ts";
import { definePolicy } from "../policies/policy.ts";
import { replayRun } from "../log/replay-run.ts";
import { createRun, type Run } from "../run/run.ts";
import { createNudgeAnchors } from "./nudge-anchors.ts";

interface Message {
  readonly role: string;
  readonly text: string;
}
const user = (text: string): Message => ({ role: "user", text });
const options = (text?: string) => ({ text, make: user, read: (message: Message) => message.text });

describe("createNudgeAnchors", () => {
  it("createNudgeAnchors puts a nudge at the end, and back in the same place in every later list", () => {
    const { place } = createNudgeAnchors(createRun());
    expect(place([user("a")], options("hurry"))).toEqual([user("a"), user("hurry")]);
    expect(place([user("a"), user("b")], options())).toEqual([user("a"), user("hurry"), user("b")]);
    expect(place([user("a"), user("b")], options("faster"))).toEqual([
      user("a"),
      user("hurry"),
      user("b"),
      user("faster"),
    ]);
    expect(place([user("a"), user("b"), user("c")], options())).toEqual([
      user("a"),
      user("hurry"),
      user("b"),
      user("faster"),
      user("c"),
    ]);
  });

  it("createNudgeAnchors leaves a list alone when the host kept the nudges", () => {
    const { place } = createNudgeAnchors(createRun());
    const kept = place([user("a")], options("hurry"));
    expect(place([...kept, user("b")], options())).toEqual([...kept, user("b")]);
    expect(place(kept, options("hurry"))).toEqual(kept);
  });

  it("createNudgeAnchors drops a nudge whose place is gone, and does not invent another", () => {
    const { place } = createNudgeAnchors(createRun());
    place([user("a"), user("b")], options("hurry"));
    expect(place([user("summary of a and b"), user("c")], options())).toEqual([user("summary of a and b"), user("c")]);
    expect(place([user("a")], options())).toEqual([user("a")]);
  });

  it("createNudgeAnchors keeps the nudges of each run apart, and those of one run together", () => {
    const run = createRun();
    createNudgeAnchors(run).place([user("a")], options("hurry"));
    expect(createNudgeAnchors(createRun()).place([user("a"), user("b")], options())).toHaveLength(2);
    expect(createNudgeAnchors(run).place([user("a"), user("b")], options())).toHaveLength(3);
  });
});

describe("createNudgeAnchors of a replayed run", () => {
  const policies = [
    definePolicy({
      name: "speak",
      decide: {
        "turn.started": ({ turn }) =>
          turn === 1 || turn === 3 ? nudge(`turn ${String(turn)}`, { episode: String(turn) }) : undefined,
      },
    }),
  ];
  const said = (turn: number): Message => user(`<phasekit>\nturn ${String(turn)}\n</phasekit>`);
  const answer = (turn: number): Message => ({ role: "assistant", text: `answer ${String(turn)}` });
  const resumed = (text?: string) => ({ ...options(text), isAnswer: ({ role }: Message) => role === "assistant" });

  /** A run of so many answered turns, and perhaps one that never was, as another process finds it. */
  function restart({
    answered,
    cut = false,
    lost = false,
  }: {
    readonly answered: number;
    readonly cut?: boolean;
    readonly lost?: boolean;
  }): Run {
    const run = createRun({ policies, nudges: { cooldownTurns: 0 } });
    const log: RunEvent[] = [];
    run.subscribe((step) => log.push(...step));
    for (let turn = 0; turn < answered; turn += 1) {
      const { nudges } = run.beforeTurn();
      if (lost) for (const { nudge: id } of nudges) run.record({ type: "nudge.lost", nudge: id });
      run.record({ type: "model.answered" });
    }
    if (cut) run.beforeTurn();
    const { run: read } = replayRun(JSON.parse(JSON.stringify(log)) as RunEvent[], { policies });
    read.resume();
    read.beforeTurn();
    return read as Run;
  }
  const history = [user("go"), answer(1), answer(2), answer(3), answer(4)];
  const whole = [user("go"), said(1), answer(1), answer(2), said(3), answer(3), answer(4)];

  it.each([
    { name: "puts each nudge before the answer to its turn", run: { answered: 4 }, messages: history, expected: whole },
    {
      name: "finds them where the host kept them, and adds none",
      run: { answered: 4 },
      messages: whole,
      expected: whole,
    },
    {
      name: "counts from the end when the conversation is older than the run",
      run: { answered: 4 },
      messages: [user("before"), answer(0), ...history],
      expected: [user("before"), answer(0), ...whole],
    },
    {
      name: "says what was cut off before its answer at the end",
      run: { answered: 2, cut: true },
      messages: history.slice(0, 3),
      expected: whole.slice(0, 5),
    },
    {
      name: "forgets them when the host has shortened the list",
      run: { answered: 4 },
      messages: [user("a summary"), answer(4)],
      expected: [user("a summary"), answer(4)],
    },
    {
      name: "does not bring back what never reached the agent",
      run: { answered: 4, lost: true },
      messages: history,
      expected: history,
    },
  ])("createNudgeAnchors $name", ({ run, messages, expected }) => {
    const { place } = createNudgeAnchors(restart(run));
    expect(place(messages, resumed())).toEqual(expected);
    // They are anchors from then on.
    expect(place([...messages, answer(5)], resumed())).toEqual([...expected, answer(5)]);
  });

  it("createNudgeAnchors leaves the list alone for hosts that cannot identify answers", () => {
    expect(createNudgeAnchors(restart({ answered: 4 })).place(history, options())).toEqual(history);
  });
});
