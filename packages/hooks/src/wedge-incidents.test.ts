import { describe, expect, it } from "vitest";
import { openSession, passing, type SessionKit } from "../test/session-kit.ts";
import { agentNames } from "./hook-event.ts";
import { blockWithheld } from "./hook-events.ts";

/** Why the last block was withheld. */
const why = ({ log }: SessionKit): string | undefined =>
  log.flatMap((event) => (blockWithheld.is(event) ? [event.data.why] : [])).at(-1);

/** Finishes again and again; how often that was vetoed until it was accepted. */
function vetoesUntilAccepted(kit: SessionKit, between: () => void = () => undefined): number {
  for (let vetoes = 0; vetoes < 50; vetoes += 1) {
    if (kit.finish({ continued: vetoes > 0 }).veto === undefined) return vetoes;
    between();
  }
  return Infinity;
}

/** An edit without tests, so that the gate has something to hold. */
function unverified(kit: SessionKit): SessionKit {
  kit.prompt();
  kit.edit();
  return kit;
}

// Each of these held a real agent for minutes or hours; the number is the thread it was reported in.
describe.each(agentNames)("known ways to wedge an agent end in %s", (agent) => {
  const open = (options: Parameters<typeof openSession>[0] = {}) => openSession({ agent, ...options });

  it("a finish of an unknown session is accepted (codex#34477, oh-my-codex#3253)", () => {
    const kit = open();
    expect(kit.finish()).toEqual({});
    kit.edit();
    expect(kit.finish()).toEqual({});
    expect(why(kit)).toBe("unknown-session");
  });

  it("state that cannot be read never holds (codex#37937)", () => {
    const kit = open({ readable: false });
    kit.send({ kind: "session.started", source: "resume" });
    kit.edit();
    expect(kit.finish()).toEqual({});
    expect(why(kit)).toBe("unreadable-state");
  });

  it("a model that only repeats that it is done is vetoed once (codex#37937: no cap, no escape)", () => {
    expect(vetoesUntilAccepted(unverified(open()))).toBe(1);
  });

  it("a model that runs one cheap tool per veto is vetoed twice at most (Claude Code's cap resets)", () => {
    const kit = unverified(open());
    let n = 0;
    expect(vetoesUntilAccepted(kit, () => kit.shell("ls", { output: `file ${String((n += 1))}` }))).toBeLessThanOrEqual(
      2,
    );
  });

  it("a model that edits after each veto and never tests gets the same text once (impeccable#400, rembric#343)", () => {
    const kit = unverified(open());
    expect(vetoesUntilAccepted(kit, () => kit.edit())).toBe(1);
    expect(why(kit)).toBe("same-text");
  });

  it("a refused call and a veto do not close both ways out (oh-my-codex#3469)", () => {
    const kit = unverified(open());
    expect(kit.edit(".claude/settings.json").refuse).toBeDefined();
    expect(kit.finish()).toEqual({});
    expect(why(kit)).toBe("refused-before");
  });

  it("the repair that a veto asks for is not refused (oh-my-codex#3469)", () => {
    const kit = unverified(open());
    for (let n = 0; n < 6; n += 1) kit.shell("npx vitest run", { output: "Tests  1 failed (1)", exitCode: 1 });
    kit.finish();
    expect(kit.shell("npx vitest run", passing).refuse).toBeUndefined();
  });

  it("a veto of another hook is not joined (claude-plugins-official#5312: 51 blocks)", () => {
    const kit = unverified(open());
    expect(kit.finish({ continued: true })).toEqual({});
    expect(why(kit)).toBe("foreign-veto");
  });

  it("an empty turn after a veto is accepted (amplihack#2874: 100 empty turns)", () => {
    const kit = unverified(open());
    expect(kit.finish().veto).toBeDefined();
    expect(kit.finish({ text: "", continued: true })).toEqual({});
    expect(kit.session.run()?.view.status).toBe("suspended");
  });

  it("work in the background is waited for (rembric#343: polling turns were blocked)", () => {
    const kit = unverified(open());
    expect(kit.finish({ openWork: 1 })).toEqual({});
    expect(why(kit)).toBe("open-work");
  });

  it("a declared wait is a legal answer (amir-loop#134: 60 of 90 turns polled)", () => {
    const kit = unverified(open());
    expect(kit.finish({ text: "I am waiting for the deployment." })).toEqual({});
    expect(why(kit)).toBe("declared-wait");
  });

  it("a failed turn is not a finish (claude-code CHANGELOG: errors were fed back)", () => {
    const kit = unverified(open());
    expect(kit.send({ kind: "turn.failed", message: "overloaded" })).toEqual({});
    expect(kit.finish()).toEqual({});
  });

  it("an interrupt is final until the user speaks", () => {
    const kit = unverified(open());
    expect(kit.finish({ aborted: true })).toEqual({});
    kit.prompt("Continue.");
    kit.edit();
    expect(kit.finish().veto).toBeDefined();
  });

  it("plan mode ends freely", () => {
    const kit = unverified(open());
    expect(
      kit.send({
        kind: "finish.asked",
        text: "The plan.",
        continued: false,
        openWork: 0,
        aborted: false,
        planning: true,
      }),
    ).toEqual({});
  });

  it("a veto names a harmless way out and who may waive it (claude-code#67665)", () => {
    const { veto = "" } = unverified(open()).finish();
    expect(veto).toContain("say so and finish again");
    expect(veto).toContain("The user can waive it: phasekit waive tests-fresh --reason");
  });

  it("a run that was stopped vetoes nothing", () => {
    const kit = unverified(open());
    kit.session.run()?.stop({ why: "enough" });
    expect(kit.finish()).toEqual({});
  });
});
