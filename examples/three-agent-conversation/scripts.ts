import type { AgentContext, AgentResult } from "@phasekit/orchestrator";

/** One round of an agent: some tool calls, then a text made from their results. */
export interface Script {
  readonly calls: readonly { readonly tool: string; readonly input: Readonly<Record<string, string>> }[];
  readonly say: (results: readonly string[]) => AgentResult;
}

const say = (result: AgentResult): Script => ({ calls: [], say: () => result });
const learn = (text: string): Script => ({
  calls: [{ tool: "lesson", input: { text } }],
  say: ([answer]) => ({ text: `${answer ?? ""} ${text}` }),
});
const write = (path: string, text: string, summary: string): Script => ({
  calls: [{ tool: "write_file", input: { path, text } }],
  say: ([answer]) => ({ text: answer ?? "", summary }),
});

/** The parts of the three agents, phase by phase: what a model would come up with. */
export function scriptFor({ agent, phase, reason }: Pick<AgentContext, "agent" | "phase" | "reason">): Script {
  const lower = reason.includes("case") ? ".toLowerCase()" : "";
  switch (`${agent} in ${phase}`) {
    case "project-manager in chat":
      return say({ text: "Hello! What is it about?", question: "What is it about?" });
    case "project-manager in brainstorm":
      return say({
        text:
          "Three ways: a hosted search, an index made when the site is built, or a filter over the titles. " +
          "The last one is small.",
        question: "Which one?",
        summary: "The person chooses between three ways.",
      });
    case "project-manager in verification":
      return say({ text: "I typed two words the way a visitor would.", summary: "Looked at by a user's eyes." });
    case "project-manager in reflection":
      return learn("People here mean titles when they say search; ask before planning an index.");
    case "planner in plan":
      return say({
        text: "1. Filter pages.json by the query. 2. Test with two words.",
        summary: "A filter over pages.json, in search.ts.",
      });
    case "planner in reflection":
      return learn("The titles live in pages.json, so a filter needs no index file.");
    case "executor in execute":
      return write(
        "search.ts",
        `export const search = (pages, query) => pages.filter((page) => page${lower}.includes(query${lower}));`,
        "search.ts filters the titles.",
      );
    case "executor in verification":
      return {
        calls: [{ tool: "run_tests", input: {} }],
        say: ([answer = ""]) => ({
          text: answer,
          summary: answer.includes("failed") ? `The tests say: ${answer}` : "The tests pass.",
          passed: !answer.includes("failed"),
        }),
      };
    case "executor in chores":
      return write("README.md", "Search filters the titles in pages.json.", "The README says how search works.");
    case "executor in reflection":
      return learn("Test search.ts with a lower-case query; titles in pages.json begin with capitals.");
    default:
      return say({ text: `There is nothing to do for me in "${phase}".` });
  }
}
