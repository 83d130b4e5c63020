import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createTerminal } from "./terminal.ts";

/** The terminal of a person who types these lines, and what it printed. */
function typing(text: string, { isAgent = false } = {}) {
  let printed = "";
  const stdin = Object.assign(new PassThrough(), { isTTY: true }) as unknown as NodeJS.ReadStream;
  const stdout = { isTTY: true, write: (part: string) => void (printed += part) };
  const terminal = createTerminal({ stdin, stdout, stderr: stdout, env: { CI: "1" }, isAgent });
  (stdin as unknown as PassThrough).end(text);
  return { terminal, printed: () => printed };
}

describe("terminal.choose", () => {
  it.each([
    ["\n", "observe"],
    ["Gate\n", "gate"],
    ["", "observe"],
  ])("after %j the choice is %s", async (text, choice) => {
    const { terminal, printed } = typing(text);
    expect(await terminal.choose?.("Which mode?", ["observe", "gate"])).toBe(choice);
    expect(printed()).toBe("Which mode? observe, gate [observe] ");
  });

  it("asks again after a name that is not offered", async () => {
    const { terminal, printed } = typing("loud\n");
    expect(await terminal.choose?.("Which?", ["observe", "gate"])).toBe("observe");
    expect(printed()).toBe("Which? observe, gate [observe] ".repeat(2));
  });

  it("an agent is not asked", () => {
    expect(typing("", { isAgent: true }).terminal.choose).toBeUndefined();
  });
});
