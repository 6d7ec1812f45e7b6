import { createMemoryDestinationStates } from '../../../src/adapters/memory/destination-states.ts';
import { destinationStatesContract } from '../../contracts/destination-states.contract.ts';

destinationStatesContract('the memory', createMemoryDestinationStates);
