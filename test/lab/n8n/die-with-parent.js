// @ts-check
'use strict';
const { isMainThread } = require('node:worker_threads');

// Loaded into a child process before its own code (node --require). The child's standard input is a pipe whose other
// end its parent holds: when the parent is gone, however it went, the pipe closes and the child ends instead of
// living on. At once, because with its outputs closed too an orderly shutdown of n8n takes minutes.
// The child's worker threads load this file as well, with an input of their own that says nothing.
if (isMainThread) {
	process.stdin.once('close', () => process.kill(process.pid, 'SIGKILL'));
	// Listening must not keep a child alive that is done.
	process.stdin.resume().unref();
}
