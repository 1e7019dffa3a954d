export const servable = [
  'api',
  'scheduler',
  'trigger',
  'worker',
  'dispatcher',
  'connectors',
  'sandbox',
  'all',
] as const;

export type Servable = (typeof servable)[number];
