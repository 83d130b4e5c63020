import { modelRouter, type Router, type RoutingRequest } from "@phasekit/orchestrator";

/**
 * A scripted model: it reads the real prompt and answers like a model, in prose, with a fence, and with two mistakes
 * that are corrected on the way.
 */
export function createScriptedRouter(): { readonly router: Router; readonly prompts: string[] } {
  const prompts: string[] = [];
  const answer = ({ phase, request: said, feedback, lastRound, entry, unreflected }: RoutingRequest): string => {
    const worked = lastRound?.entry === entry;
    if (feedback?.includes("There is no agent") === true)
      return decide({ agents: ["planner"], phase: "plan", reason: "The planner designs it." });
    switch (phase) {
      case "chat":
        return said.includes("What if")
          ? decide({ agents: ["project-manager"], phase: "brainstorm", reason: "An open question." })
          : decide({ agents: ["project-manager"], reason: "It is not clear yet." });
      case "brainstorm":
        return decide({ agents: ["architect"], phase: "plan", reason: "The way is chosen." });
      case "plan":
        return decide({ agents: ["executor"], phase: "execute", reason: "The plan can be carried out." });
      case "execute":
        // Models like to be done early.
        if (feedback === undefined && worked && lastRound.number === 4)
          return decide({ agents: ["END"], reason: "It is written." });
        return decide({ agents: ["executor", "project-manager"], phase: "verification", reason: "Both look at it." });
      case "verification":
        return lastRound?.completions.some(({ text = "" }) => text.includes("failed")) === true
          ? decide({ agents: ["executor"], phase: "execute", reason: "A query in another case finds nothing." })
          : decide({ agents: ["executor"], phase: "chores", reason: "It works." });
      case "chores":
        return decide({ agents: [...unreflected], phase: "reflection", reason: "Everybody who took part reflects." });
      default:
        return decide({ agents: ["END"], reason: "All is done, checked, tidied and learned from." });
    }
  };
  const router: Router = (request) =>
    modelRouter((prompt) => {
      prompts.push(prompt);
      return answer(request);
    })(request);
  return { router, prompts };
}

function decide(decision: object): string {
  return `Let me think.\n\`\`\`json\n${JSON.stringify(decision)}\n\`\`\``;
}
