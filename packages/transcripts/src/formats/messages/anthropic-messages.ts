import { defined, nameIn, textIn, toObject } from "@phasekit/core/adapter";
import { objectsIn } from "../../parse/loose-json.ts";
import { mostly } from "../../parse/mostly.ts";
import type { Sample } from "../../parse/sample.ts";
import type { FormatMatch, TranscriptFormat } from "../../transcript-format.ts";
import { anthropicUsage } from "../../write/usage.ts";
import { answerBlocks, resultBlocks } from "./anthropic-content.ts";

/** Messages of the Anthropic API: a list, lines, or a request that holds them. */
export const anthropicMessages: TranscriptFormat = {
  name: "anthropic-messages",
  title: "Anthropic messages",
  detect,
  translate: ({ runs, skip, unknown }) => {
    const run = runs.open();
    let count = 0;
    return {
      take: ({ path, value }) => {
        const message = toObject(value);
        const { role, content } = message;
        if (role === "assistant") {
          count += 1;
          run.answer({
            id: nameIn(message["id"]) ?? `message ${String(count)}`,
            ...defined({
              model: nameIn(message["model"]),
              usage: anthropicUsage(message["usage"]),
              finishReason: nameIn(message["stop_reason"]),
            }),
          });
          answerBlocks(run, content, { skip, unknown });
        } else if (role === "user") {
          const texts = resultBlocks(run, content, { skip, unknown });
          if (texts.length > 0) run.user(texts.join("\n"));
        } else if (path[0] === "model") run.describe(defined({ model: nameIn(value) }));
        else if (role === "system" || typeof path[0] === "string")
          skip(typeof path[0] === "string" ? path[0] : "system message");
        else unknown(`role ${textIn(role)}`);
      },
    };
  },
};

const BLOCKS: ReadonlySet<unknown> = new Set(["tool_use", "tool_result", "thinking", "server_tool_use"]);

function detect({ layout, values }: Sample): FormatMatch | undefined {
  const [first] = values;
  const certainty = (messages: unknown): number => {
    const list = objectsIn(messages);
    const talks = mostly(list, ({ role }) => role === "user" || role === "assistant" || role === "system");
    return talks && list.some(({ content }) => objectsIn(content).some(({ type }) => BLOCKS.has(type))) ? 0.8 : 0;
  };
  const { messages } = toObject(first);
  const [list, split] =
    layout === "lines"
      ? [values, undefined]
      : Array.isArray(first)
        ? [first as unknown[], ["*"]]
        : [messages, ["messages.*"]];
  const found = certainty(list);
  return found === 0 ? undefined : { certainty: found, ...defined({ split }) };
}
