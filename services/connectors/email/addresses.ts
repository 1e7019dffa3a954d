const address =
  /^[^\s\p{C}<>()[\],;:\\"@]{1,64}@((?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,63})$/u;
const maxLength = 254;

/**
 * Returns the domain of a mail address in lower case; undefined if the text is not the address of a single mailbox.
 * Quoted local parts and literal addresses are refused: people's mailboxes do not use them, and both can contain
 * separators.
 */
export function domainOf(text: string): string | undefined {
  return text.length > maxLength ? undefined : address.exec(text)?.[1]?.toLowerCase();
}
