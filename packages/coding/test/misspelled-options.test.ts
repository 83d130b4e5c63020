import { budget, describeTools } from "@phasekit/core";
import { reading } from "@phasekit/reading";
import { phaseTracker } from "@phasekit/tracker";
import { limits, watchdog } from "@phasekit/watchdog";
import { describe, expect, it } from "vitest";

// Types find these; plain JavaScript and options from a file have no types.
const mistakes: Readonly<Record<string, () => unknown>> = {
  turn: () => budget({ turn: 3 } as object),
  callMS: () => watchdog({ callMS: 1000 } as object),
  alertsAt: () => watchdog({ alertsAt: 4 } as object),
  stop: () => limits({ stop: ["silence"] } as object),
  patienc: () => phaseTracker({ patienc: 2 } as object),
  signal: () => phaseTracker({ signal: { edit: "acting" } } as object),
  phase: () => phaseTracker({ signals: { edit: "acting" }, phase: ["acting"] } as never),
  tool: () => reading({ tool: { deploy: "run" } } as object),
  mutate: () => describeTools({ deploy: { activity: "run", mutate: true } as never }),
};

describe("misspelled options", () => {
  it.each(Object.entries(mistakes))("%s is refused by name", (name, make) => {
    expect(make).toThrow(
      expect.objectContaining({
        code: "INVALID_OPTION",
        message: expect.stringMatching(
          new RegExp(`^The option "${name}" is wrong: there is (?:no such option|only .+)\\.$`),
        ) as string,
      }) as Error,
    );
  });

  it("the right names are taken", () => {
    expect(() => [
      budget({ turns: 3 }),
      watchdog({ callMs: 1000, alertAt: 4, stops: ["silence"] }),
      phaseTracker({ patience: 2 }),
      phaseTracker({ signals: { edit: "acting" }, phases: ["acting"], patience: 1 }),
      reading({ tools: { deploy: "run" }, memory: 10, cacheSize: 10 }),
      describeTools({ deploy: { activity: "run", mutates: true, undo: false, commands: { up: "act" } } }),
    ]).not.toThrow();
  });
});
