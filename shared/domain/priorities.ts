/** How soon something is served beside others of its kind: runs of campaigns, and jobs of a client. */
export const priorities = ['low', 'normal', 'high'] as const;

export type Priority = (typeof priorities)[number];
