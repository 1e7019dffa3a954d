import { TypeID } from 'typeid-js';
import { expect, it } from 'vitest';
import { fc } from '../../../test/support/properties.ts';
import { publicId, uuidOf } from './ids.ts';

it('a public id equals the one of the TypeID library and can be converted back', () => {
  fc.assert(
    fc.property(fc.uuid(), (uuid) => {
      const id = publicId('job', uuid);
      expect(id).toBe(TypeID.fromUUID('job', uuid).toString());
      expect(uuidOf('job', id)).toBe(uuid);
    }),
  );
});

it('a public id does not depend on the letter case of the uuid', () => {
  const uuid = 'ffffffff-abcd-8fff-bfff-0123456789ef';
  expect(publicId('run', uuid.toUpperCase())).toBe(publicId('run', uuid));
  expect(publicId('run', uuid)).toMatch(/^run_7[0-9a-z]{25}$/);
});
