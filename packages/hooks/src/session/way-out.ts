/** The end of every veto: a harmless way out. */
export const WAY_OUT = "If this cannot be done, or you wait for something, say so and finish again.";
