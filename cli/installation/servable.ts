export const servable = ['api', 'scheduler', 'trigger', 'worker', 'dispatcher', 'sandbox', 'all'] as const;

export type Servable = (typeof servable)[number];
