import { expect, it } from 'vitest';
import { contentInWords, topicInWords } from './message-text.ts';

it('lays JSON out, and leaves what is none as it is', () => {
  expect(contentInWords({ encoding: 'text', content: '{"a":1}' })).toEqual({ note: 'JSON', text: '{\n  "a": 1\n}' });
  expect(contentInWords({ encoding: 'text', content: '{"a":' })).toEqual({ note: 'text, no JSON', text: '{"a":' });
  expect(contentInWords({ encoding: 'base64', content: '/wA=' })).toEqual({ note: 'bytes, as base64', text: '/wA=' });
  expect(contentInWords(null)).toEqual({ note: 'nothing', text: '' });
});

it('names a shard by its topic', () => {
  expect(topicInWords('muster.award-points.AU')).toBe('Award points AU');
  expect(topicInWords('muster.steers')).toBe('muster.steers');
});
