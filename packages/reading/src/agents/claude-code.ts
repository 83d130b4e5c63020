/** The answer to a call that the user rejected: nothing ran. A pattern. */
export const REJECTED = "The tool use was rejected";
