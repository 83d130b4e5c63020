/** The condition under which the packages of this workspace import each other's sources. */
export const SOURCE_CONDITION = "phasekit-source";

/** The flag of Node for a program that imports our sources, also in an environment without `NODE_OPTIONS`. */
export const SOURCE_FLAG = `--conditions=${SOURCE_CONDITION}`;

/** The arguments of Node for a program that imports our sources. */
export function fromSources(program: string, ...args: readonly string[]): readonly string[] {
  return [SOURCE_FLAG, program, ...args];
}
