import { describe, expect, it } from 'vitest';
import { createTargetTopics, readTargetTopics } from './target-topics.ts';

describe('topics that jobs may be written to', () => {
  const topics = createTargetTopics(['orders', 'shop.*'], 'muster');

  it.each(['orders', 'shop.a', 'shop.a.b', 'shop..'])('hold %s', (topic) => {
    expect(topics.whyNot(topic)).toBeNull();
  });

  it.each(['shop.', 'shop', 'shopping', 'order', 'orders.', 'orders.a', 'SHOP.a', 'a.shop.b'])(
    'do not hold %s',
    (topic) => {
      expect(topics.whyNot(topic)).toBe('DISPATCHER_TARGET_TOPICS does not name it');
    },
  );

  it('exclude those of Muster and Kafka, even if they are named', () => {
    const named = createTargetTopics(['muster.*', '__consumer_offsets', '__*'], 'muster');
    expect(named.whyNot('muster.award-reward.SG')).toContain('Muster');
    expect(named.whyNot('__consumer_offsets')).toContain('Kafka');
  });

  it('are empty by default', () => {
    expect(readTargetTopics({}).whyNot('orders')).not.toBeNull();
  });
});
