import { describe, expect, it } from "vitest";
import { loggedRun } from "../__fixtures__/logged-run.ts";
import { veto } from "../policies/decision.ts";
import { runStopped } from "../errors.ts";
import type { NewEvent } from "../events/run-event.ts";
import { budget } from "../policies/budget.ts";
import { definePolicy } from "../policies/policy.ts";
import { trackRun } from "./track-run.ts";

const error = (name: string): Error => Object.assign(new Error("boom"), { name });

describe("trackRun", () => {
  it.each([
    ["a value", () => 5],
    ["a promise", () => Promise.resolve(5)],
  ])("trackRun returns %s and ends the run", async (_what, work) => {
    const { run } = loggedRun();
    await expect(trackRun(run, work)).resolves.toBe(5);
    expect(run.outcome).toMatchObject({ reason: "done" });
  });

  it("trackRun asks the gates when the host did not", async () => {
    const { run } = loggedRun({
      policies: [definePolicy({ name: "g", decide: { "finish.requested": () => veto("no") } })],
    });
    await trackRun(run, () => undefined);
    expect(run.outcome).toMatchObject({ reason: "done_unverified", verified: false });
  });

  it.each([
    { thrown: error("AbortError"), reason: "interrupted" },
    { thrown: error("TimeoutError"), reason: "timeout" },
    { thrown: error("GraphRecursionError"), reason: "step_limit" },
    { thrown: error("MaxTurnsExceededError"), reason: "step_limit" },
    { thrown: error("OutputGuardrailTripwireTriggered"), reason: "policy_stop" },
    { thrown: error("ModelRefusalError"), reason: "content_filtered" },
    { thrown: error("TypeError"), reason: "unknown" },
    { thrown: Object.assign(error("RateLimitError"), { status: 429 }), reason: "rate_limit" },
    { thrown: Object.assign(error("PermissionDeniedError"), { status: 403 }), reason: "rate_limit" },
    { thrown: Object.assign(error("APIError"), { status: 402 }), reason: "rate_limit" },
    { thrown: error("TimeoutErrorBudget"), reason: "unknown" },
    { thrown: error("ConnectTimeout"), reason: "timeout" },
    { thrown: Object.assign(error("Error"), { code: "MY_ECONN" }), reason: "unknown" },
    { thrown: Object.assign(error("Error"), { code: "ECONN_mine" }), reason: "unknown" },
    { thrown: Object.assign(error("BadRequestError"), { status: 400 }), reason: "unknown" },
    { thrown: Object.assign(error("InternalServerError"), { statusCode: 503 }), reason: "upstream_unhealthy" },
    {
      thrown: Object.assign(error("APIConnectionError"), {
        cause: Object.assign(error("Error"), { code: "ECONNREFUSED" }),
      }),
      reason: "connection_error",
    },
    {
      thrown: Object.assign(error("TypeError"), {
        cause: Object.assign(error("SocketError"), { code: "UND_ERR_SOCKET" }),
      }),
      reason: "connection_error",
    },
    { thrown: Object.assign(error("Error"), { code: "ENOENT" }), reason: "unknown" },
    { thrown: error("APIConnectionTimeoutError"), reason: "timeout" },
    { thrown: "text", reason: "unknown" },
    { thrown: undefined, reason: "unknown" },
    { thrown: null, reason: "unknown" },
  ])("trackRun rethrows $thrown, and ends the run as $reason", async ({ thrown, reason }) => {
    const { run, of } = loggedRun();
    let caught: unknown = "nothing";
    await trackRun(run, () => {
      throw thrown as Error;
    }).catch((found: unknown) => {
      caught = found;
    });
    expect(caught).toBe(thrown);
    expect(of("run.finished")).toMatchObject([{ reason, verified: false }]);
  });

  it("trackRun keeps the shape of a rejected promise's error", async () => {
    const { run } = loggedRun();
    await expect(trackRun(run, () => Promise.reject(new RangeError("far", { cause: error("Inner") })))).rejects.toThrow(
      "far",
    );
    expect(run.outcome?.error).toEqual({
      name: "RangeError",
      message: "far",
      causes: [{ name: "Inner", message: "boom" }],
      stack: expect.stringContaining("RangeError: far\n") as string,
    });
  });

  it("trackRun classifies with the caller's function; a failing or nonsensical one counts as unknown", async () => {
    for (const [classify, reason] of [
      [() => "rate_limit", "rate_limit"],
      [
        () => {
          throw new Error("x");
        },
        "unknown",
      ],
      [() => "nonsense", "unknown"],
    ] as const) {
      const { run } = loggedRun();
      await expect(
        trackRun(
          run,
          () => {
            throw new Error("429");
          },
          { classify: classify as () => "rate_limit" },
        ),
      ).rejects.toThrow("429");
      expect(run.outcome?.reason).toBe(reason);
    }
  });

  it("trackRun classifies with the run's own function, for its children too", async () => {
    const { run } = loggedRun({ classify: () => "context_overflow" });
    const child = run.child();
    await expect(
      trackRun(child, () => {
        throw new Error("long");
      }),
    ).rejects.toThrow("long");
    expect(child.outcome?.reason).toBe("context_overflow");
    await expect(
      trackRun(run, () => {
        throw new Error("long");
      }),
    ).rejects.toThrow("long");
    expect(run.outcome?.reason).toBe("context_overflow");
  });

  it("trackRun ends a stopped run for the stop's reason, when its adapter reports the stop by throwing", async () => {
    const { run } = loggedRun({ policies: [budget({ turns: 1 })] });
    run.beforeTurn();
    run.record({ type: "model.answered" });
    run.beforeTurn();
    run.record({ type: "model.answered" });
    await expect(
      trackRun(run, () => {
        throw runStopped("turn_limit");
      }),
    ).rejects.toMatchObject({ code: "RUN_STOPPED" });
    expect(run.outcome?.reason).toBe("turn_limit");
  });

  describe("a failed model call that the host did not throw", () => {
    const failed: NewEvent = { type: "model.failed", status: 500, message: "no capacity" };

    it("a failed model call is why the run ended", async () => {
      const { run } = loggedRun();
      await trackRun(run, () => {
        run.beforeTurn();
        run.record(failed);
      });
      expect(run.outcome).toMatchObject({
        reason: "upstream_unhealthy",
        verified: false,
        error: { message: "no capacity", status: 500 },
      });
    });

    it.each<{ readonly what: string; readonly then: readonly NewEvent[] }>([
      { what: "answered the next time", then: [{ type: "turn.started" }, { type: "model.answered" }] },
      { what: "followed by a finish", then: [{ type: "finish.requested" }] },
    ])("a failed model call is not why the run ended, when it was $what", async ({ then }) => {
      const { run } = loggedRun();
      await trackRun(run, () => {
        for (const input of [failed, ...then]) run.record(input);
      });
      expect(run.outcome).toMatchObject({ reason: "done" });
    });

    it("a failed model call is not why the run ended, when the host gives a reason", () => {
      const { run } = loggedRun();
      run.record(failed);
      run.end({ reason: "cancelled" });
      expect(run.outcome).toMatchObject({ phase: "working", reason: "cancelled", verified: false });
      expect(run.outcome?.error).toBeUndefined();
    });

    it("a failed model call is not why the run ended, when the run was stopped, or resumed since", async () => {
      const { run } = loggedRun();
      await trackRun(run, () => {
        run.record(failed);
        run.stop({ reason: "cancelled" });
      });
      expect(run.outcome?.reason).toBe("cancelled");
      const { run: again } = loggedRun();
      again.record(failed);
      again.end({ reason: "interrupted" });
      again.resume();
      again.end();
      expect(again.outcome?.reason).toBe("done");
    });
  });

  it("trackRun ends the run also when the error cannot be read, and rethrows that very error", async () => {
    const hostile = Object.defineProperty({}, "message", {
      get: () => {
        throw new Error("no");
      },
    });
    const { run } = loggedRun();
    let caught: unknown;
    await trackRun(run, () => {
      throw hostile as Error;
    }).catch((found: unknown) => {
      caught = found;
    });
    expect(caught).toBe(hostile);
    expect(run.outcome).toMatchObject({ reason: "unknown" });
  });

  it("trackRun leaves a run alone that was ended inside", async () => {
    const { run, of } = loggedRun();
    await trackRun(run, () => run.end({ reason: "cancelled" }));
    expect(of("run.finished")).toMatchObject([{ reason: "cancelled" }]);
  });

  it("trackRun refuses a run that has ended, before any work", async () => {
    const { run } = loggedRun();
    run.end();
    let worked = false;
    await expect(
      trackRun(run, () => {
        worked = true;
      }),
    ).rejects.toMatchObject({ code: "RUN_ENDED" });
    expect(worked).toBe(false);
  });
});
