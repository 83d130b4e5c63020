/** What every veto ends with: a harmless way out. */
export const WAY_OUT = "If this cannot be done, or you wait for something, say so and finish again.";
