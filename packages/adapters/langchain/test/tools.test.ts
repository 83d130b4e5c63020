import { ToolMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { StructuredTool, tool } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import { createRun, isPhasekitError, definePolicy, refuse, type RunEvent } from "@phasekit/core";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { phaseMiddleware, phaseTools } from "../src/index.ts";
import { anything, call, eventsOf, look, say, scriptChat } from "./scripted-chat.ts";

/** A tool as a class with a private member. */
class Secretive extends StructuredTool {
  readonly name = "look";
  readonly description = "Looks.";
  readonly schema = z.object({});
  readonly #secret = { exitCode: 3 };
  protected _call(): Promise<unknown> {
    return Promise.resolve(this.#secret);
  }
}

const fields = { name: "look", description: "Looks.", schema: anything };
const answer = (
  config: { readonly toolCall?: { readonly id?: string } },
  content: string,
  status: "success" | "error" = "success",
) => new ToolMessage({ content, status, tool_call_id: String(config.toolCall?.id) });

const kinds = [
  { what: "a text", make: () => look(() => "seen"), outcome: "ok", output: "seen" },
  {
    what: "an object, as one",
    make: () => look(() => ({ exitCode: 0, stdout: "1 passed" })),
    outcome: "ok",
    output: { exitCode: 0, stdout: "1 passed" },
    exitCode: 0,
  },
  {
    what: "an object that says it is an error",
    make: () => look(() => ({ isError: true, text: "no" })),
    outcome: "error",
    output: { isError: true, text: "no" },
  },
  {
    what: "JSON in a text, as the text it is",
    make: () => look(() => '{"exitCode":1}'),
    outcome: "ok",
    output: '{"exitCode":1}',
  },
  {
    what: "the value of a class with private members",
    make: () => new Secretive(),
    outcome: "ok",
    output: { exitCode: 3 },
    exitCode: 3,
  },
  {
    what: "what a generator returns, not what it yields",
    make: () =>
      look(async function* () {
        yield await Promise.resolve("half");
        return { exitCode: 0 };
      }),
    outcome: "ok",
    output: { exitCode: 0 },
    exitCode: 0,
  },
  {
    what: "the content of a pair, not its artifact",
    make: () => tool(() => ["seen", { rows: 7 }], { ...fields, responseFormat: "content_and_artifact" }),
    outcome: "ok",
    output: "seen",
  },
  {
    what: "the text of a message",
    make: () => tool((_input, config: object) => answer(config, "seen"), fields),
    outcome: "ok",
    output: "seen",
  },
  {
    what: "a message of failure",
    make: () => tool((_input, config: object) => answer(config, "not found", "error"), fields),
    outcome: "error",
    output: "not found",
  },
  {
    what: "the message inside of a command",
    make: () =>
      tool((_input, config: object) => new Command({ update: { messages: [answer(config, "handed over")] } }), fields),
    outcome: "ok",
    output: "handed over",
  },
  {
    what: "what a runnable gives, as text",
    make: () => RunnableLambda.from(() => "seen").asTool({ name: "look", description: "Looks.", schema: z.object({}) }),
    outcome: "ok",
    output: "seen",
  },
  {
    what: "a failure that is no error",
    make: () =>
      look(() => {
        // oxlint-disable-next-line typescript/only-throw-error -- tools do
        throw null;
      }),
    outcome: "error",
    output: "null",
  },
  {
    what: "a failed command with its exit code",
    make: () =>
      look(() => {
        throw Object.assign(new Error("failed"), { exitCode: 2, stdout: "1 failed", stderr: "" });
      }),
    outcome: "error",
    output: { stdout: "1 failed", stderr: "" },
    exitCode: 2,
  },
];

function finishedIn(events: readonly RunEvent[]): object {
  const [found] = events.filter((event) => event.type === "tool.finished");
  return {
    outcome: found?.outcome,
    output: found?.output,
    ...(found?.exitCode !== undefined && { exitCode: found.exitCode }),
  };
}

describe("the result of a tool is recorded unchanged", () => {
  it.each(kinds)("$what", async ({ make, outcome, output, exitCode }) => {
    const { model } = await scriptChat([call("look"), say("Done.")]);
    const run = createRun();
    const events = eventsOf(run);
    const { messages } = await createAgent({ model, tools: [make()], middleware: [phaseMiddleware(run)] }).invoke({
      messages: "go",
    });
    expect(finishedIn(events)).toEqual({ outcome, output, ...(exitCode !== undefined && { exitCode }) });
    expect(messages.at(-1)?.text).toBe("Done.");
  });

  it.each(kinds)(
    "$what, by phaseTools, and the caller gets what the tool gives",
    async ({ make, outcome, output, exitCode }) => {
      const run = createRun();
      const events = eventsOf(run);
      const made = { type: "tool_call" as const, id: "c1", name: "look", args: {} };
      const settle = async (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => String(error));
      // The types of these tools do not fit one signature.
      const asInvocable = make as () => { readonly name: string; readonly invoke: (input: object) => Promise<unknown> };
      const [guarded] = phaseTools(run, [asInvocable()]);
      expect(await settle(guarded!.invoke(made))).toEqual(await settle(asInvocable().invoke(made)));
      expect(finishedIn(events)).toEqual({ outcome, output, ...(exitCode !== undefined && { exitCode }) });
    },
  );
});

describe("phaseTools", () => {
  const no = {
    mode: "gate",
    policies: [definePolicy({ name: "no", decide: { "tool.requested": () => refuse("Not in this phase.") } })],
  } as const;

  it("answers a refused tool call with a message, and a bare call with an error", async () => {
    let made = 0;
    const [guarded] = phaseTools(createRun(no), [look(() => (made += 1))]);
    const message: unknown = await guarded!.invoke({ type: "tool_call", id: "c1", name: "look", args: {} });
    expect(message).toMatchObject({ content: "Not in this phase.", status: "error", tool_call_id: "c1" });
    const error: unknown = await Promise.resolve(guarded!.invoke({})).catch((caught: unknown) => caught);
    expect(isPhasekitError(error, "TOOL_REFUSED")).toBe(true);
    expect(made).toBe(0);
  });

  it("does not change the given tools", async () => {
    const plain = look(() => "seen");
    const keys = Object.keys(plain);
    phaseTools(createRun(no), [plain]);
    expect(await plain.invoke({})).toBe("seen");
    expect(Object.keys(plain)).toEqual(keys);
  });

  it("lets the tool work if the run itself is broken", async () => {
    const fail = (): never => {
      throw new Error("the run is broken");
    };
    const [guarded] = phaseTools({ ...createRun(), record: fail, beforeTool: fail }, [look(() => "seen")]);
    expect(await guarded!.invoke({})).toBe("seen");
  });
});
