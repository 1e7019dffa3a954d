import type { TopicStats } from '../../ports/message-bus.ts';
import type { LaneView } from './lanes.ts';
import type { PartitionOffsets } from '../cluster/offset-reader.ts';

/** Sums the lanes of each topic; the lag is null until the offsets of all its lanes are known. */
export function statsOf(
  topics: readonly string[],
  lanes: readonly LaneView[],
  offsets: ReadonlyMap<string, readonly PartitionOffsets[]>,
): TopicStats[] {
  const byTopic = Map.groupBy(lanes, ({ lane }) => lane.topic);
  return topics.map((topic) => {
    const ofTopic = byTopic.get(topic) ?? [];
    const assigned = new Set(ofTopic.map(({ lane }) => lane.partition));
    const known = (offsets.get(topic) ?? []).filter(({ partition }) => assigned.has(partition));
    return {
      topic,
      lanes: ofTopic.length,
      unsettled: ofTopic.reduce((sum, { unsettled }) => sum + unsettled, 0),
      held: ofTopic.reduce((sum, { held }) => sum + held, 0),
      lag:
        known.length < assigned.size
          ? null
          : known.reduce((sum, { end, committed }) => sum + Math.max(0, end - committed), 0),
    };
  });
}
