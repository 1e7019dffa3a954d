const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Time in milliseconds without use after which a session ends. */
export const sessionIdleMs = 12 * hourMs;
/** Maximum duration of a session in milliseconds. */
export const sessionMaxMs = 7 * 24 * hourMs;
/** Precision of the idle time in milliseconds: the use of a session is written at most once in this time. */
export const sessionTouchMs = minuteMs;
/** Time in milliseconds within which the browser must return from the issuer. */
export const signInLifeMs = 10 * minuteMs;
/** Time in milliseconds within which a log-in link must be used. */
export const linkLifeMs = 10 * minuteMs;
