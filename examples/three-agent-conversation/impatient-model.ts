import type { AskModel } from "@phasekit/orchestrator";

/** A scripted model that plans, has the work done and then always wants to end. */
const ANSWERS = [
  '{"phase": "plan", "reason": "Several services depend on it."}',
  '{"agents": ["planner"], "reason": "The design comes first."}',
  '{"agents": ["executor"], "phase": "execute", "reason": "The plan can be carried out."}',
];
let asked = 0;

export const ask: AskModel = () => ANSWERS[asked++] ?? '{"agents": ["END"], "reason": "It is built."}';

/** The agents' model. */
export const complete = (prompt: string): Promise<string> =>
  Promise.resolve(`I read ${prompt.length} characters and did my part.`);
