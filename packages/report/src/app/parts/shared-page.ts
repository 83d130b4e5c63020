import { createContext } from "preact";

/** True on a page made to be shared: its runs have no texts, so there is nothing to open. */
export const SharedPage = createContext(false);
