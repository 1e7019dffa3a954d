import { TypeID } from 'typeid-js';
import { expect, it } from 'vitest';
import { fc } from '../../../test/support/properties.ts';
import { publicId, uuidOf } from './ids.ts';

it('writes public ids as the TypeID library does, and reads them back', () => {
  fc.assert(
    fc.property(fc.uuid(), (uuid) => {
      const id = publicId('job', uuid);
      expect(id).toBe(TypeID.fromUUID('job', uuid).toString());
      expect(uuidOf('job', id)).toBe(uuid);
    }),
  );
});

it('writes the same id whether the letters of a uuid are small or large', () => {
  const uuid = 'ffffffff-abcd-8fff-bfff-0123456789ef';
  expect(publicId('run', uuid.toUpperCase())).toBe(publicId('run', uuid));
  expect(publicId('run', uuid)).toMatch(/^run_7[0-9a-z]{25}$/);
});
