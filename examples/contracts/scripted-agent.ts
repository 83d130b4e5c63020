/** The next step of the agent: write a file or call a tool. */
export type Step =
  | { readonly write: string; readonly text: string }
  | { readonly call: "complete_phase"; readonly input: Readonly<Record<string, unknown>> };

const research = (sections: Readonly<Record<string, string>>): string =>
  `# Research\n\n${Object.entries(sections)
    .map(([title, text]) => `## ${title}\n\n${text}\n`)
    .join("\n")}`;

/** A scripted agent that forgets sections, reads the issues and fixes its brief. */
export function createScriptedAgent(ticket: string): (heard: string) => Step | undefined {
  const folder = `docs/tickets/${ticket}`;
  const claim = (completed_phase: string, recommended_next_phase: string | null, more: object = {}): Step => ({
    call: "complete_phase",
    input: {
      completed_phase,
      recommended_next_phase,
      contract_version: 1,
      summary: `${completed_phase} complete`,
      confidence: "high",
      ...more,
    },
  });
  const plan: ((heard: string) => Step)[] = [
    () => ({
      write: `${folder}/research.md`,
      text: research({
        Problem: "findUser reads the whole list for every row.",
        Recommendation: "Build an index once.",
      }),
    }),
    () => claim("research", "architecture"),
    // The answer listed the missing sections; the agent adds exactly those.
    (heard) => ({
      write: `${folder}/research.md`,
      text: research({
        ...(heard.includes('"## Problem Statement"') && {
          "Problem Statement": "findUser reads the whole list for every row.",
        }),
        ...(heard.includes('"## Relevant Codepaths"') && {
          "Relevant Codepaths": "`src/list.js`, called by the page.",
        }),
        ...(heard.includes('"## Open Questions"') && { "Open Questions": "None." }),
        Recommendation: "Build an index once.",
      }),
    }),
    () => claim("research", "architecture", { promote_to: "docs/research/slow-list.md" }),
    () => ({
      write: `${folder}/design.md`,
      text: "# Design\n\n## Decision\n\nA map from name to user, built once.\n\n## Alternatives\n\nTo be done.\n",
    }),
    () => claim("architecture", "grooming"),
    // The judge said what to fix.
    () => ({
      write: `${folder}/design.md`,
      text:
        "# Design\n\n## Decision\n\nA map from name to user, built once.\n\n" +
        "## Alternatives\n\nSorting and searching: slower, and the order matters elsewhere.\n",
    }),
    () => claim("architecture", "grooming"),
    () => ({
      write: `${folder}/grooming.md`,
      text: "# Plan\n\n## Steps\n\n1. Build the map in src/list.js.\n2. Look users up in it.\n",
    }),
    () => claim("grooming", "ready"),
    () => ({
      write: "src/list.js",
      text: "export function indexUsers(users) {\n  return new Map(users.map((user) => [user.name, user]));\n}\n",
    }),
    () => claim("ready", null),
  ];
  return (heard) => plan.shift()?.(heard);
}
