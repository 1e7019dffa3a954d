export const priorities = ['low', 'normal', 'high'] as const;

export type Priority = (typeof priorities)[number];
