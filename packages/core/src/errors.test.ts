import { describe, expect, it } from "vitest";
import {
  calledFromPolicy,
  damagedLog,
  duplicatePolicy,
  invalidOption,
  isPhasekitError,
  PhasekitError,
  runEnded,
  unknownEvent,
  unknownGuard,
  unknownPhase,
} from "./errors.ts";

describe("errors", () => {
  it.each([
    [
      "unknownPhase",
      unknownPhase("acitng", ["planning", "acting"]),
      {
        code: "UNKNOWN_PHASE",
        message: 'The graph has no phase "acitng".',
        hint: "Use one of: planning, acting.",
      },
    ],
    [
      "unknownPhase of a policy",
      unknownPhase("x", ["a"], 'Policy "p"'),
      {
        code: "UNKNOWN_PHASE",
        message: 'Policy "p" has no phase "x".',
        hint: "Use one of: a.",
      },
    ],
    [
      "duplicatePolicy",
      duplicatePolicy("budget"),
      {
        code: "DUPLICATE_POLICY",
        message: 'Two policies are named "budget".',
        hint: 'Give one of them another name: named(policy, "budget-2").',
      },
    ],
    [
      "unknownGuard",
      unknownGuard("green", ["red"]),
      {
        code: "UNKNOWN_GUARD",
        message: 'An edge of the graph names the guard "green", which no policy provides.',
        hint: "Use one of: red.",
      },
    ],
    [
      "unknownGuard when there are none",
      unknownGuard("green", []),
      {
        code: "UNKNOWN_GUARD",
        message: 'An edge of the graph names the guard "green", which no policy provides.',
        hint: 'Add a policy with guards: { "green": (run) => … }.',
      },
    ],
    [
      "invalidOption",
      invalidOption("mode", '"x" is not one of a, b'),
      {
        code: "INVALID_OPTION",
        message: 'The option "mode" is wrong: "x" is not one of a, b.',
        hint: "See the documentation of the function's options.",
      },
    ],
    [
      "runEnded",
      runEnded("run-1"),
      {
        code: "RUN_ENDED",
        message: 'Run "run-1" has ended.',
        hint: "Make a run for each invocation: pass a function, () => createRun(…), where a run is expected.",
      },
    ],
    [
      "calledFromPolicy",
      calledFromPolicy("beforeTurn"),
      {
        code: "CALLED_FROM_POLICY",
        message: "A policy called run.beforeTurn() while the run was deciding.",
        hint: "Return a decision instead; policies do not act.",
      },
    ],
    [
      "damagedLog",
      damagedLog("it is empty", 1),
      {
        code: "DAMAGED_LOG",
        message: "The log is damaged at event 1: it is empty.",
        hint: "Read the log up to the event before it, or restore it from its store.",
      },
    ],
    [
      "unknownEvent",
      unknownEvent("a.b", "the type is not known"),
      {
        code: "UNKNOWN_EVENT",
        message: 'An event of type "a.b" cannot be read: the type is not known.',
        hint: "It was perhaps written by a newer version of Phasekit: update the packages.",
      },
    ],
    [
      "unknownEvent without a type",
      unknownEvent(undefined, "it is not an object"),
      {
        code: "UNKNOWN_EVENT",
        message: "An event of type undefined cannot be read: it is not an object.",
        hint: "It was perhaps written by a newer version of Phasekit: update the packages.",
      },
    ],
  ])("%s says what happened and what to do", (_name, error, { code, message, hint }) => {
    expect(error).toBeInstanceOf(PhasekitError);
    expect({ name: error.name, code: error.code, message: error.message, hint: error.hint }).toEqual({
      name: "PhasekitError",
      code,
      message,
      hint,
    });
  });

  it("an error keeps its cause, and adds none", () => {
    const cause = new Error("inner");
    expect(new PhasekitError("X", "x", { cause }).cause).toBe(cause);
    expect(new PhasekitError("X", "x")).not.toHaveProperty("cause");
    expect(new PhasekitError("X", "x").hint).toBeUndefined();
  });
});

describe("isPhasekitError", () => {
  it.each<[string, unknown, string | undefined, boolean]>([
    ["one of ours", unknownPhase("a", []), undefined, true],
    ["one of ours with its code", unknownPhase("a", []), "UNKNOWN_PHASE", true],
    ["one of ours with another code", unknownPhase("a", []), "RUN_ENDED", false],
    [
      "one of another copy of the package",
      Object.assign(new Error("x"), { name: "PhasekitError", code: "RUN_ENDED" }),
      "RUN_ENDED",
      true,
    ],
    ["another error", new Error("x"), undefined, false],
    ["null", null, undefined, false],
    ["a text", "PhasekitError", undefined, false],
  ])("isPhasekitError: %s", (...[, error, code, expected]) => {
    expect(isPhasekitError(error, code)).toBe(expected);
  });
});
