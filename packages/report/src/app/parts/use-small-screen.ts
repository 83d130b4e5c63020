import { useEffect, useState } from "preact/hooks";

/** As in styles/small-screen.css. */
const SMALL = "(max-width: 720px)";

/** True on a screen as narrow as that of a phone, where rows of tables are cards. */
export function useSmallScreen(): boolean {
  const [isSmall, setSmall] = useState(() => matchMedia(SMALL).matches);
  useEffect(() => {
    const screen = matchMedia(SMALL);
    const follow = (): void => setSmall(screen.matches);
    screen.addEventListener("change", follow);
    return () => screen.removeEventListener("change", follow);
  }, []);
  return isSmall;
}
