import type { ComponentProps } from 'react';
import { roleWords, type Role } from '../../frame/session/session.ts';
import { TimeInput } from '../../parts/controls/time-input.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import {
  describeBounds,
  readBounds,
  needsOwner,
  roleDescriptions,
  describeScope,
  readScope,
  type KeyForm,
} from './key-words.ts';
import { keyRoles } from './search.ts';

interface KeyFieldsProps {
  form: KeyForm;
  onChange: (form: KeyForm) => void;
}

export function KeyFields({ form, onChange }: KeyFieldsProps) {
  const change = (part: Partial<KeyForm>) => onChange({ ...form, ...part });
  const bounds = readBounds(form);
  const bounded = bounds && describeBounds(bounds);
  return (
    <>
      <Field pointer="/name" label="Name" required value={form.name} onText={(name) => change({ name })} autofocus />
      <Field
        pointer="/owner"
        label="Owner"
        hint={ownerHint(form.role)}
        required={needsOwner(form.role)}
        value={form.owner}
        onText={(owner) => change({ owner })}
      />
      <RoleField role={form.role} onRole={(role) => change({ role })} />
      {scopeFields.map(({ name, label, hint }) => (
        <Field
          key={name}
          pointer={`/scope/${name}`}
          label={label}
          hint={hint}
          value={form[name]}
          onText={(text) => change({ [name]: text })}
        />
      ))}
      <label className="flex items-center gap-2 text-sm">
        <input type="checkbox" checked={form.users} onChange={({ target }) => change({ users: target.checked })} />
        May read the users of every campaign in its scope
      </label>
      <fieldset className="min-w-0 m-0 px-3 pt-2 pb-3 border border-line rounded-md">
        <legend className="px-1 text-sm leading-4 font-medium">Limits of the key</legend>
        <div className="grid grid-cols-3 gap-3.5 items-start phone:grid-cols-1 *:min-w-0">
          {boundFields.map(({ name, label }) => (
            <Field
              key={name}
              pointer={`/bounds/${name}`}
              label={label}
              value={form[name]}
              onText={(text) => change({ [name]: text })}
            />
          ))}
        </div>
        <p className="hint">At most the limits of its clients. Empty: no limit of its own</p>
      </fieldset>
      <FormField
        pointer="/expiresAt"
        label="Expires"
        hint="At the start of that day in UTC, such as 2026-12-01. Empty: never. Notifications are sent 14 and 3 days before"
      >
        {(control) => (
          <TimeInput
            {...control}
            isDay
            value={form.expires}
            onText={(expires) => change({ expires: expires.trim() })}
          />
        )}
      </FormField>
      <p className="sm t2">
        This key {roleDescriptions[form.role]}. Scope: {describeScope(readScope(form))}
        {bounded && `, with at most ${bounded}`}.
      </p>
    </>
  );
}

const onePerson = 'keys with the same owner count as one person';

/** Returns the hint for the field `owner`. An approval needs the keys of two different people. */
function ownerHint(role: Role): string {
  if (role === 'manager') return `The person who uses it. Needed to submit campaigns for approval; ${onePerson}`;
  if (role === 'approver') return `The person who uses it. Needed to approve; ${onePerson}`;
  if (role === 'operator') return 'The person or team to contact. Needed to submit and to approve campaigns';
  return 'The person or team to contact';
}

const countriesHint =
  'Such as SG, ID, or (all), (none). The key reads campaigns with any of these, and changes campaigns with only these. Empty: all, or none if clients are set';

const scopeFields = [
  { name: 'clients', label: 'Clients', hint: 'The key reads and changes jobs and schedules of these. Empty: all' },
  { name: 'countries', label: 'Countries', hint: countriesHint },
  { name: 'actionTypes', label: 'Action types', hint: 'The same rule for the actions of campaigns' },
] as const;

const boundFields = [
  { name: 'jobsPerSecond', label: 'Jobs per second' },
  { name: 'storedJobs', label: 'Jobs stored' },
  { name: 'requestsPerMinute', label: 'Requests per minute' },
] as const;

interface FieldProps extends Pick<ComponentProps<typeof FormField>, 'pointer' | 'label' | 'hint' | 'required'> {
  value: string;
  onText: (text: string) => void;
  autofocus?: true;
}

function Field({ value, onText, autofocus, ...field }: FieldProps) {
  return (
    <FormField {...field}>
      {(control) => (
        <input
          {...control}
          className="inp w-full"
          type="text"
          autoComplete="off"
          value={value}
          data-autofocus={autofocus}
          onChange={({ target }) => onText(target.value)}
        />
      )}
    </FormField>
  );
}

function RoleField({ role, onRole }: { role: Role; onRole: (role: Role) => void }) {
  return (
    <FormField pointer="/role" label="Role">
      {(control) => (
        <select
          {...control}
          className="inp w-full"
          value={role}
          onChange={({ target }) => onRole(keyRoles.find((each) => each === target.value) ?? role)}
        >
          {keyRoles.map((each) => (
            <option key={each} value={each}>
              {roleWords[each]}: {roleDescriptions[each]}
            </option>
          ))}
        </select>
      )}
    </FormField>
  );
}
