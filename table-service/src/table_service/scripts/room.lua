#!lua
-- Tells how full the store is.
--
-- KEYS: the clocks of each bucket.
-- Answers: how many entries these have, of which every table has one, and one with anybody at it a few; bytes that are
--          used, and bytes that may be, 0 for as many as there are.
local entries = 0
for _, clocks in ipairs(KEYS) do entries = entries + redis.call('ZCARD', clocks) end
local memory = redis.call('INFO', 'memory')
local used = string.match(memory, 'used_memory:(%d+)')
local most = string.match(memory, 'maxmemory:(%d+)')
return {entries, tonumber(used), tonumber(most)}
