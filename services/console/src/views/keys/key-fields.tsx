import type { ComponentProps } from 'react';
import { roleWords, type Role } from '../../frame/session/session.ts';
import { TimeInput } from '../../parts/controls/time-input.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import {
  boundsInWords,
  boundsOfForm,
  needsOwner,
  roleSaid,
  scopeInWords,
  scopeOfForm,
  type KeyForm,
} from './key-words.ts';
import { keyRoles } from './search.ts';

interface KeyFieldsProps {
  form: KeyForm;
  onChange: (form: KeyForm) => void;
}

export function KeyFields({ form, onChange }: KeyFieldsProps) {
  const change = (part: Partial<KeyForm>) => onChange({ ...form, ...part });
  const bounds = boundsOfForm(form);
  const bounded = bounds && boundsInWords(bounds);
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
          {...{ pointer: `/scope/${name}`, label, hint }}
          value={form[name]}
          onText={(text) => change({ [name]: text })}
        />
      ))}
      <label className="flex items-center gap-2 text-sm">
        <input type="checkbox" checked={form.users} onChange={({ target }) => change({ users: target.checked })} />
        Reads the users of every campaign that it sees
      </label>
      <fieldset className="min-w-0 m-0 px-3 pt-2 pb-3 border border-line rounded-md">
        <legend className="px-1 text-sm leading-4 font-medium">Bounds of its own</legend>
        <div className="grid grid-cols-3 gap-3.5 items-start phone:grid-cols-1 *:min-w-0">
          {boundFields.map(({ name, label }) => (
            <Field
              key={name}
              {...{ pointer: `/bounds/${name}`, label }}
              value={form[name]}
              onText={(text) => change({ [name]: text })}
            />
          ))}
        </div>
        <p className="hint">Within what its clients may have; empty: as they may</p>
      </fieldset>
      <FormField
        pointer="/expiresAt"
        label="Expires"
        hint="At the beginning of that day, UTC, such as 2026-12-01; empty: never. Notifications report it 14 and 3 days before"
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
        It may: {roleSaid[form.role]}. It is for {scopeInWords(scopeOfForm(form))}
        {bounded && `, with at most ${bounded}`}.
      </p>
    </>
  );
}

const onePerson = 'keys of one owner are one person';

/** Returns the hint for the owner. Approvals need keys of two known people. */
function ownerHint(role: Role): string {
  if (role === 'manager') return `The person who uses it. Needed to submit campaigns for approval; ${onePerson}`;
  if (role === 'approver') return `The person who uses it. Needed to approve; ${onePerson}`;
  if (role === 'operator') return 'The person or team to ask. Needed to submit and to approve campaigns';
  return 'The person or team to ask';
}

const countriesHint =
  'It sees campaigns in one of them and changes campaigns in no others, such as SG, ID; (all), (none); empty: all, or none for a key of clients';

const scopeFields = [
  { name: 'clients', label: 'Clients', hint: 'Whose jobs and schedules it sees and may change; empty: all' },
  { name: 'countries', label: 'Countries', hint: countriesHint },
  { name: 'actionTypes', label: 'Action types', hint: 'The same for their actions' },
] as const;

const boundFields = [
  { name: 'jobsPerSecond', label: 'Jobs a second' },
  { name: 'storedJobs', label: 'Jobs stored' },
  { name: 'requestsPerMinute', label: 'Requests a minute' },
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
              {roleWords[each]}: {roleSaid[each]}
            </option>
          ))}
        </select>
      )}
    </FormField>
  );
}
