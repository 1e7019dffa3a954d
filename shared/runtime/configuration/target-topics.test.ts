import { describe, expect, it } from 'vitest';
import { createTargetTopics, readTargetTopics } from './target-topics.ts';

describe('the topics that jobs may write to', () => {
  const topics = createTargetTopics(['orders', 'shop.*'], 'muster');

  it.each(['orders', 'shop.a', 'shop.a.b', 'shop..'])('include %s', (topic) => {
    expect(topics.whyNot(topic)).toBeNull();
  });

  it.each(['shop.', 'shop', 'shopping', 'order', 'orders.', 'orders.a', 'SHOP.a', 'a.shop.b'])(
    'do not include %s',
    (topic) => {
      expect(topics.whyNot(topic)).toBe('DISPATCHER_TARGET_TOPICS does not name it');
    },
  );

  it('exclude the topics of Muster and Kafka, even if they are named', () => {
    const named = createTargetTopics(['muster.*', '__consumer_offsets', '__*'], 'muster');
    expect(named.whyNot('muster.award-reward.SG')).toContain('Muster');
    expect(named.whyNot('__consumer_offsets')).toContain('Kafka');
  });

  it('are empty by default', () => {
    expect(readTargetTopics({}).whyNot('orders')).not.toBeNull();
  });
});
