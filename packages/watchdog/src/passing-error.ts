/** What may pass by itself. */
const PASSING =
  /time[d ]?.?out|refused|reset|unreachable|unavailable|unable to access|busy|too many|rate limit|try again|temporar|network|no response|no (?:such )?device|not (?:connected|attached|plugged)|rejecting|not (?:yet )?ready|starting up|(?:could ?n[o']t|failed to|cannot|unable to) connect/i;

/** Whether an error speaks of something that may well pass by itself: then another try or two is what a careful agent makes. */
export function mayPass(error: string): boolean {
  return PASSING.test(error);
}
