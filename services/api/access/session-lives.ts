const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A session that is not used for so long is over. */
export const sessionIdleMs = 12 * hourMs;
/** And every one after so long. */
export const sessionMaxMs = 7 * 24 * hourMs;
/** How exactly its idle time is kept: one write in so long. */
export const sessionTouchMs = minuteMs;
/** A sign-in that has not come back from the issuer for so long is over. */
export const signInLifeMs = 10 * minuteMs;
/** A link that was not used for so long opens nothing. */
export const linkLifeMs = 10 * minuteMs;
