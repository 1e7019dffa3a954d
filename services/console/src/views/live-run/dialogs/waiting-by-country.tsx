import type { CancelPreview } from '#client/types.gen.ts';
import { formatCount } from '../../../parts/words/numbers.ts';
import { waitingTable } from './waiting-rows.ts';

/** Whom it concerns, country by country: how many wait for which step, and how many are being called. */
export function WaitingByCountry({ preview }: { preview: CancelPreview }) {
  const table = waitingTable(preview);
  if (table === null) return null;
  const { steps, rows, others } = table;
  return (
    <table className="sm d30 table-fixed w-full [&_caption]:pb-1 [&_caption]:text-left">
      <caption className="t3">Users by country and the step that they wait for</caption>
      <thead>
        <tr>
          <th scope="col">
            <span className="sr-only">Country</span>
          </th>
          {steps.map((step) => (
            <th key={step} scope="col" className="text-right align-bottom whitespace-normal wrap-anywhere">
              {step}
            </th>
          ))}
          <th scope="col" className="text-right">
            in flight
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ country, waiting, inFlight }) => (
          <Row key={country} {...{ name: country, waiting, inFlight }} />
        ))}
        {others && <Row {...others} name={others.countries === 1 ? '1 more' : `${others.countries} more`} />}
      </tbody>
    </table>
  );
}

function Row({ name, waiting, inFlight }: { name: string; waiting: readonly number[]; inFlight: number }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      {waiting.map((users, index) => (
        <td key={index} className="text-right">
          {formatCount(users)}
        </td>
      ))}
      <td className="text-right">{formatCount(inFlight)}</td>
    </tr>
  );
}
