import { type AgentSpec, defineAgent } from "@phasekit/orchestrator";
import type { Project } from "./project.ts";
import { scriptFor } from "./scripts.ts";

/** The roles of the team, whatever framework runs them. */
export const ROLES = [
  {
    name: "project-manager",
    title: "Project manager",
    description: "talks to the person, and looks at results the way a user would",
  },
  { name: "planner", title: "Planner", description: "designs before anything is built" },
  { name: "executor", title: "Executor", description: "writes code, runs it, tidies up" },
] as const;

/** Three agents as plain functions. */
export function createTeam({ tools }: Project): readonly AgentSpec[] {
  return ROLES.map((role) =>
    defineAgent({
      ...role,
      ...(role.name === "executor" && { tools }),
      work: async (context) => {
        const { calls, say } = scriptFor(context);
        const results: string[] = [];
        for (const { tool, input } of calls) results.push((await context.call(tool, input)).text);
        return say(results);
      },
    }),
  );
}
