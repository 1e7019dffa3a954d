/** Priorities of campaign runs and of a client's jobs. */
export const priorities = ['low', 'normal', 'high'] as const;

export type Priority = (typeof priorities)[number];
