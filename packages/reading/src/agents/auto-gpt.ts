const ECHO = /^(?:The result of executing that last command is:\s*)?Command \S{1,100} returned:? */;

/** The answer of a tool without the words AutoGPT, and RepairAgent with it, puts before it. */
export function withoutEcho(answer: string): string {
  return answer.replace(ECHO, "");
}
