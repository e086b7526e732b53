-- What is to be poured into one file each, and then forgotten here.
CREATE INDEX logs_ended ON logs (state) WHERE state = 'ended';
