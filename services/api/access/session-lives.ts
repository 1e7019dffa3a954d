const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Time without use after which a session ends, in milliseconds. */
export const sessionIdleMs = 12 * hourMs;
/** Longest life of a session, in milliseconds. */
export const sessionMaxMs = 7 * 24 * hourMs;
/** Precision of the idle time, in milliseconds: at most one write in this time. */
export const sessionTouchMs = minuteMs;
/** Time within which a sign-in has to return from the issuer, in milliseconds. */
export const signInLifeMs = 10 * minuteMs;
/** Time within which a link has to be used, in milliseconds. */
export const linkLifeMs = 10 * minuteMs;
