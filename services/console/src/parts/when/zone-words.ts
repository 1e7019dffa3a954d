/** Returns the city of a zone: `Singapore` for Asia/Singapore, `UTC` for UTC. */
export function zoneCity(zone: string): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');
}
