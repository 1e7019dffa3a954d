import { LRUCache } from 'lru-cache';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { UsersText } from '../../../shared/domain/step/users-text.ts';
import type { Work } from '../step/work.ts';

const maxFrames = 10_000;

/**
 * The parts of a request body that are the same for all batches of a feed's step: before and after the batch number.
 */
interface Frame {
  head: Buffer;
  middle: Buffer;
}

const ending = ']}';

/**
 * Creates the bodies of batch calls (docs/contracts.md) from committed rows only, so every attempt sends the same
 * bytes. Bodies of the same step and feed differ only in the batch number and the users. The text of the users is sent
 * as it is stored in the database.
 */
export function createRequestBodies(): (work: Work) => Buffer {
  // `maxSize` limits the entries, because `max` would allocate memory for all of them when a worker starts.
  const frames = new LRUCache<string, Frame>({ maxSize: maxFrames, sizeCalculation: () => 1 });

  return ({ claim, context, users }) => {
    const key = `${claim.feedId}/${claim.step}`;
    let frame = frames.get(key);
    if (!frame) {
      const { campaignId, runId, country, chain } = context;
      const action = chain[claim.step - 1];
      const start = {
        campaign: publicId('campaign', campaignId),
        run: publicId('run', runId),
        step: claim.step,
        country,
      };
      const named = { type: action?.action, params: action?.params };
      frame = {
        head: Buffer.from(`${JSON.stringify(start).slice(0, -1)},"batch":`),
        middle: Buffer.from(`,"action":${JSON.stringify(named)},"users":[`),
      };
      frames.set(key, frame);
    }
    return joined(frame, String(claim.batchNo), users);
  };
}

/** The parts are written one by one, because joining them as text would copy them twice. */
function joined({ head, middle }: Frame, batchNo: string, users: UsersText): Buffer {
  const fixed = head.length + batchNo.length + middle.length + ending.length;
  const body = Buffer.allocUnsafe(fixed + Buffer.byteLength(users));
  let at = head.copy(body);
  at += body.write(batchNo, at);
  at += middle.copy(body, at);
  at += body.write(users, at);
  body.write(ending, at);
  return body;
}
