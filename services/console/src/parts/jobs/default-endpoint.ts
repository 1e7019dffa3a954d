/**
 * Name of the endpoint that every client has. Jobs that name no endpoint use it, and other endpoints inherit its
 * settings.
 */
export const defaultEndpoint = 'default';
